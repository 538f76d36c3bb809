// Bounds on what crosses into WebAssembly. Its memory never shrinks, so they are checked before.

/**
 * Longest text, in UTF-16 code units: a configuration, a policy, a command, what a program wrote to
 * stderr. A million entries take about 25 million.
 */
export const MAX_TEXT_LENGTH = 64 * 1024 * 1024

/** Longest host that can be valid (a DNS name has at most 255 bytes). A longer one is malformed. */
export const MAX_HOST_LENGTH = 255

/** Most destinations in one call of `decideMany`. */
export const MAX_DESTINATIONS = 1024 * 1024

/** Largest port of TCP and UDP. */
export const MAX_PORT = 0xffff

/** Most bytes in one call of `receive`; sockets give at most 64 KiB at once. */
export const MAX_CHUNK_LENGTH = 1024 * 1024
