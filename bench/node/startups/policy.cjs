const { NetworkPolicy } = require('pi-sandbox-policy')

const network = require('./network.json')
process.exitCode = NetworkPolicy.fromTransport(network).check('api.github.com', 443) === 'allow' ? 0 : 1
