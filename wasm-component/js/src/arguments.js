// Arguments, checked before they cross.

/** No host is longer than 255 bytes: what is cut off behind this could not have changed the answer. */
const HOST_CUT = 256;

/** Longest text handed over, in UTF-16 units: an instance's memory never shrinks. */
const TEXT_LIMIT = 1 << 26;

/** Stands in for a lone surrogate where a text with this character is refused like one with a surrogate. */
export const NEVER_VALID = '\0';

const LONE_SURROGATE = /\p{Surrogate}/u;

export function checkedPort(port) {
  if (typeof port !== 'number') {
    throw new TypeError(`a port must be a number, not ${typeof port}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new RangeError(`a port must be an integer from 0 to 65535, not ${port}`);
  }
  return port;
}

export function checkedHost(host) {
  return checkedText(typeof host === 'string' ? host.slice(0, HOST_CUT) : host, 'host', NEVER_VALID);
}

export function checkedDocument(text) {
  return checkedText(text, 'text', NEVER_VALID);
}

/** The text. With a lone surrogate in it: `standIn` in each such place, or the whole text for an empty one. */
export function checkedText(text, name, standIn) {
  if (typeof text !== 'string') {
    throw new TypeError(`${name} must be a string, not ${text === null ? 'null' : typeof text}`);
  }
  if (text.length > TEXT_LIMIT) {
    throw new RangeError(`${name} is longer than ${TEXT_LIMIT}`);
  }
  if (!LONE_SURROGATE.test(text)) {
    return text;
  }
  if (standIn === undefined) {
    throw new TypeError(`${name} has a lone surrogate`);
  }
  return standIn && text.replace(/\p{Surrogate}/gu, standIn);
}

export function checkedTexts(texts, name, standIn) {
  if (typeof texts === 'string' || typeof texts?.[Symbol.iterator] !== 'function') {
    throw new TypeError(`${name} must be several strings`);
  }
  let length = 0;
  return Array.from(texts, (text, index) => {
    const checked = checkedText(text, `${name}[${index}]`, standIn);
    length += checked.length;
    if (length > TEXT_LIMIT) {
      throw new RangeError(`${name} are longer than ${TEXT_LIMIT} together`);
    }
    return checked;
  });
}

/** An integer from 0, as the component takes 64-bit ones. */
export function checkedCount(number, name) {
  if (typeof number !== 'number') {
    throw new TypeError(`${name} must be a number, not ${typeof number}`);
  }
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new RangeError(`${name} must be an integer from 0, not ${number}`);
  }
  return BigInt(number);
}

/** An integer from 0, as the component takes 32-bit ones. */
export function checkedIndex(number, name) {
  checkedCount(number, name);
  if (number > 0xffff_ffff) {
    throw new RangeError(`${name} must be at most 4294967295, not ${number}`);
  }
  return number;
}

/** A copy, so that nobody changes it during a call. */
export function checkedBytes(bytes) {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`what was received must be a Uint8Array, not ${bytes === null ? 'null' : typeof bytes}`);
  }
  return Uint8Array.from(bytes);
}
