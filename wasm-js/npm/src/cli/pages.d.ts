/** The page `lint` of the specification. */
declare module 'lint-pages' {
  const text: string
  export default text
}

/** The page `diagnostic` of the specification. */
declare module 'diagnostic-page' {
  const text: string
  export default text
}
