// Preloaded into servers from npm: whatever address they mean to listen on, it
// becomes a port of this machine alone, the one that the environment says or a free
// one, which is told on standard error.
'use strict';
const net = require('node:net');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const ready = args.findLast((arg) => typeof arg === 'function');
  this.once('listening', () => process.stderr.write(`\nlistening on port ${this.address().port}\n`));
  return listen.call(this, { host: '127.0.0.1', port: Number(process.env.CALLBOARD_INTEROP_PORT ?? 0) }, ...(ready ? [ready] : []));
};
