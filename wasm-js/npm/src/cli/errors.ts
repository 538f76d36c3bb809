import type { Validation } from '../internal.js'
import type { Configuration } from './configuration.js'

/** Nothing could be answered: the command was mistyped, or a file cannot be read. */
export class Mistake extends Error {
  /** What to type instead. */
  readonly help: string

  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

/** A command that needs a policy was given a configuration with errors. */
export class InvalidConfiguration extends Error {
  readonly configuration: Configuration
  readonly validation: Validation

  constructor(configuration: Configuration, validation: Validation) {
    super(`${configuration.name} is not valid`)
    this.configuration = configuration
    this.validation = validation
  }
}
