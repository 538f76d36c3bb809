// What every surface writes down, as the example workers in Rust and Python do: one line of JSON for each destination.

/** `asked` is what was said to a review. */
export const said = (host, port, { action, reason, index }, asked) =>
  JSON.stringify({ host, port, action, reason, index, asked })

/** The first line. */
export const introduced = (policy) => JSON.stringify({ fingerprint: policy.fingerprint })
