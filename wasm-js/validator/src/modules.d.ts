declare module 'worker-source' {
  const source: string
  export default source
}

declare module 'editor-address' {
  const address: string
  export default address
}

declare module '*.wasm' {
  /** Deflated, in base64. */
  const packed: string
  export default packed
}

declare module '*.md' {
  const text: string
  export default text
}
