// Configurations to start from, each with destinations to try.

import type { Tab } from './page.js'

export interface Example {
  readonly name: string
  readonly config: string
  readonly destinations: string
  readonly older?: string
  /** What to look at first. */
  readonly tab: Tab
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

export const EXAMPLES: readonly [Example, ...Example[]] = [
  {
    name: 'A wildcard, and what it lets out',
    config: json({
      network: {
        allowedDomains: ['*.github.com:443', 'registry.npmjs.org:443', 'pypi.org'],
        deniedDomains: ['gist.github.com'],
      },
    }),
    destinations: 'https://api.github.com/repos\ngist.github.com\ngithub.com\nregistry.npmjs.org:80\n0x7f.1:8080\n',
    tab: 'problems',
  },
  {
    name: 'Package registries for a build',
    config: json({
      network: {
        allowedDomains: ['registry.npmjs.org:443', 'pypi.org:443', 'files.pythonhosted.org:443', 'static.crates.io:443'],
        deniedDomains: ['telemetry.example.com'],
      },
    }),
    destinations: 'registry.npmjs.org:443\nhttps://pypi.org/simple/\nregistry.npmjs.org:80\ntelemetry.example.com\n127.0.0.1:8080\n',
    tab: 'destinations',
  },
  {
    name: 'A file with mistakes',
    config: `{
  "network": {
    "allowedDomains": [
      "https://github.com/login",
      "*.com",
      "localhost",
      "bücher.example",
      "example.com:70000"
    ],
    "deniedDomain": ["*.example.org"]
  },
  "hostIPC": { "mode": "allow" }
}
`,
    destinations: 'github.com\n',
    tab: 'problems',
  },
  {
    name: 'A change to review',
    config: json({
      network: {
        allowedDomains: ['*.example.com', 'registry.npmjs.org:443', 'pypi.org:443'],
        deniedDomains: ['internal.example.com'],
      },
    }),
    older: json({
      network: {
        allowedDomains: ['api.example.com:443', 'registry.npmjs.org', 'pypi.org:443'],
        deniedDomains: ['internal.example.com', 'cdn.example.com'],
      },
    }),
    destinations: 'cdn.example.com\nregistry.npmjs.org:80\n',
    tab: 'compare',
  },
  {
    name: 'Nothing is allowed',
    config: json({ network: { allowedDomains: [], deniedDomains: ['*'] } }),
    destinations: 'example.com\n',
    tab: 'destinations',
  },
  {
    name: 'Every field, at its default',
    config: json({
      subagents: { provider: 'builtin', externalWorkerIsolation: 'off' },
      filesystem: { additionalAllowRead: [] },
      network: { allowedDomains: [], deniedDomains: [] },
      hostIPC: { mode: 'off', preflightCommandPrefixes: [], retryOnUnixSocketError: false },
    }),
    destinations: 'example.com\n',
    tab: 'policy',
  },
]
