import type { Mutation } from './mutations.ts'

const http = 'packages/http1/src'
const tests = [`${http}/http-server.test.ts`]
const frames = [`${http}/frames.test.ts`]

/** What is done wrong with the bytes of clients. */
export const mutationsOfHttp: readonly Mutation[] = [
  {
    name: 'take a length and chunks at once',
    file: `${http}/request-head.ts`,
    text: "if (length !== null || !isCurrent) throw new RefusedRequest(400, 'it is not clear where the body ends')",
    becomes: '',
    tests,
  },
  {
    name: 'answer a request that names two hosts',
    file: `${http}/request-head.ts`,
    text: "hosts.includes(',')",
    becomes: 'false',
    tests,
  },
  {
    name: 'go on behind a chunk that is longer than it said',
    file: `${http}/message-body.ts`,
    text: "if (end !== start) throw new MalformedMessage('a chunk is longer than it said')",
    becomes: '',
    tests,
  },
  {
    name: 'take heads of any length',
    file: `${http}/server-connection.ts`,
    text: 'if (end === -1 ? whole.length > headBytesMax : end > headBytesMax) {',
    becomes: 'if (end < -1) {',
    tests,
  },
  {
    name: 'read the next request before the answer to the one before it',
    file: `${http}/server-connection.ts`,
    text: 'while (rest !== null && rest.length > 0 && this.#request === null && !this.#isEnding)',
    becomes: 'while (rest !== null && rest.length > 0 && !this.#isEnding)',
    tests,
  },
  {
    name: 'wait for ever for the rest of a head',
    file: `${http}/server-connection.ts`,
    text: "    this.#refuse(new RefusedRequest(408, 'the request did not come in time'))\n",
    becomes: '',
    tests,
  },
  {
    name: 'keep all of a body that nobody reads',
    file: `${http}/received.ts`,
    text: 'else if (this.#keptBytes >= keptBytesMax) this.#source.pause()',
    becomes: '',
    tests,
  },
  {
    name: 'keep a connection whose client takes nothing',
    file: `${http}/server-connection.ts`,
    text: 'this.#sending = new SendQueue(socket, () => this.#wait(deps.waits.stallMs))',
    becomes: 'this.#sending = new SendQueue(socket, () => {})',
    tests,
    only: 'nobody takes',
  },
  {
    name: 'not say that the client has gone',
    file: `${http}/received.ts`,
    text: '    this.signal.tell()\n',
    becomes: '',
    tests,
    only: 'leaves',
  },
  {
    name: 'keep a connection open that still brings a body which nobody wants',
    file: `${http}/server-connection.ts`,
    text: 'this.#head?.mayStay === true && this.#body.isOver && ',
    becomes: 'this.#head?.mayStay === true && ',
    tests,
    only: 'before all of a long body',
  },
  {
    name: 'send what has broken off as if it were whole',
    file: `${http}/open-reply.ts`,
    text: '    connection?.destroy()\n',
    becomes: '    connection?.writeChunk(lastChunk)\n    connection?.answered()\n',
    tests,
    only: 'break off',
  },
  {
    name: 'take messages without a mask',
    file: `${http}/frames.ts`,
    text: "throw new BrokenFrames(1002, 'frames of clients are masked, and no others')",
    becomes: 'return',
    tests: frames,
  },
  {
    name: 'take messages of any length',
    file: `${http}/frames.ts`,
    text: "if (this.#partsBytes + length > this.#options.messageBytesMax) throw new BrokenFrames(1009, 'the message is too long')",
    becomes: '',
    tests: frames,
  },
]
