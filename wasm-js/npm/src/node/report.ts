/**
 * Where to say what goes wrong: to `onError`, otherwise in a warning of the process. It never throws,
 * whatever was thrown and whatever `onError` does: workers wait for their answers.
 */
export function reporter(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  if (onError === undefined) return warn
  return async (error) => {
    try {
      await onError(error)
    } catch (fault) {
      warn(error)
      warn(fault)
    }
  }
}

/** With texts only: an error could do anything while it is printed. */
function warn(error: unknown): void {
  let message = 'something was thrown that cannot be printed'
  let detail: string | undefined
  try {
    if (error instanceof Error) [message, detail] = [`${error.message}`, `${error.stack}`]
    else message = String(error)
  } catch {
    // Then it is the one that cannot be printed.
  }
  process.emitWarning(message, { ...(detail && { detail }) })
}
