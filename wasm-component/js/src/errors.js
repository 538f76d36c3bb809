// What can go wrong.

/** The text is no valid configuration; `position` says where reading stopped when it is not JSON. */
export class ConfigError extends Error {
  constructor(message, position) {
    super(message);
    this.name = 'ConfigError';
    this.position = position;
  }
}

/** The lists hold an entry that is no domain pattern; `entry` says which. */
export class ListsError extends Error {
  constructor(message, entry) {
    super(message);
    this.name = 'ListsError';
    this.entry = entry;
  }
}

/** The component could not answer. The next call is not affected. */
export class PolicyUnavailable extends Error {
  constructor(cause) {
    super(`the policy component failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'PolicyUnavailable';
  }
}

/** A supervisor, a worker or a request of it was not made. A connection that it was for must not be made either. */
export class Refused extends Error {
  constructor(message) {
    super(message);
    this.name = 'Refused';
  }
}
