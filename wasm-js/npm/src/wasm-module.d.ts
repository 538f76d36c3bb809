/** The WebAssembly module in base64, put in by the build. */
declare module 'policy-wasm' {
  const base64: string
  export default base64
}
