declare module 'worker-source' {
  const source: string
  export default source
}

declare module '*.md' {
  const text: string
  export default text
}
