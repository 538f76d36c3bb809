/** The page `lint` of the specification. */
declare module 'lint-pages' {
  const text: string
  export default text
}
