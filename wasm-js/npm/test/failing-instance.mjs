// Stands between the package and its WebAssembly instances, so that tests can make a call fail. The
// package has no hook for this: what is replaced is the global `WebAssembly.Instance`, before the
// package is loaded.

const RealInstance = WebAssembly.Instance

/** What happens to calls, and what was made. */
export const control = {
  /** Names of exports that trap, once each. */
  failing: new Set(),
  /** How many of the next instances cannot be made. */
  refused: 0,
  /** All instances so far, the real ones. */
  instances: [],
}

class FailingInstance {
  constructor(module, imports) {
    if (control.refused > 0) {
      control.refused -= 1
      throw new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance')
    }
    const real = new RealInstance(module, imports)
    control.instances.push(real)
    this.exports = Object.fromEntries(
      Object.entries(real.exports).map(([name, value]) => [name, typeof value === 'function' ? trapping(name, value) : value]),
    )
  }
}

function trapping(name, call) {
  return (...args) => {
    if (control.failing.delete(name)) throw new WebAssembly.RuntimeError('unreachable')
    return call(...args)
  }
}

WebAssembly.Instance = FailingInstance
