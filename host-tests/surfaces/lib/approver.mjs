// Who decides about reviews: by a rule that every test can foresee, and that says yes about as often as no.

export function approve({ hostname, port }) {
  const misbehaviour = MISBEHAVIOUR[hostname]
  return misbehaviour === undefined ? foreseen(hostname, port) : misbehaviour()
}

export const foreseen = (hostname, port) => ((hostname.length + port) % 2 === 0 ? 'allow' : 'deny')

const MISBEHAVIOUR = {
  'throws.example': () => {
    throw new Error('no dialog')
  },
  'rejects.example': () => Promise.reject(new Error('no dialog')),
  'shouts.example': () => 'ALLOW',
  'nothing.example': () => undefined,
  'never.example': () => new Promise(() => undefined),
}
