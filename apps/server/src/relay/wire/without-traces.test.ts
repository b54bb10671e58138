import { describe, expect, test } from 'bun:test'
import { withoutTraces } from './without-traces.ts'

describe('a vendor’s messages for clients', () => {
  const cases: readonly [string, string, string][] = [
    ['nothing to hide', 'The model is overloaded', 'The model is overloaded'],
    ['a route', 'Unknown route: POST /v1/chat/completions', 'Unknown route: POST /v1/chat/completions'],
    ['an address', 'See https://example.org/docs/errors.json', 'See https://example.org/docs/errors.json'],
    ['a place in the request', "at /messages/0/content: 'text' is missing", "at /messages/0/content: 'text' is missing"],
    ['a model with a slash', 'meta-llama/Llama-3.1-8B is not loaded', 'meta-llama/Llama-3.1-8B is not loaded'],
    ['a file of the server', "FileNotFoundError: '/srv/models/tiny.gguf'", "FileNotFoundError: '[path]'"],
    ['a file of Windows', 'cannot open C:\\models\\tiny.gguf', 'cannot open [path]'],
    ['a file and a line', 'assertion failed (/usr/local/lib/python3/site-packages/vllm/core.py:88)', 'assertion failed ([path])'],
    [
      'a stack of Python',
      'Traceback (most recent call last):\n  File "/app/main.py", line 3, in chat\n    raise ValueError(x)\nValueError: temperature must be a number',
      'ValueError: temperature must be a number',
    ],
    [
      'words before a stack',
      'It failed\nTraceback (most recent call last):\n  File "a.py", line 1\n    x()\nKeyError: 1',
      'It failed KeyError: 1',
    ],
    [
      'a stack in the line of a message',
      'bad response status code 500: Traceback (most recent call last):\n  File "a.py", line 1\n    x()\nKeyError: 1',
      'bad response status code 500: KeyError: 1',
    ],
    [
      'a stack of JavaScript',
      'TypeError: x is not a function\n    at run (/home/me/server.js:10:5)\n    at main',
      'TypeError: x is not a function',
    ],
    ['a stack of Java', 'NullPointerException\n\tat com.example.Chat.run(Chat.java:42)', 'NullPointerException'],
    ['a stack of Go', 'panic: nil map\n\ngoroutine 1 [running]:\nmain.main()', 'panic: nil map'],
    ['nothing but a stack', 'Traceback (most recent call last):\n  File "a.py", line 1', 'the upstream service reported an error'],
  ]
  test.each(cases)('show %s without internals', (_, words, seen) => {
    expect(withoutTraces(words)).toBe(seen)
  })

  test('are searched quickly, whatever they contain', () => {
    for (const part of ['/a', '/usr/', '\n at a', '\\', 'File "', '\n at a:1 ', '\nError.', 'Error.', '\n']) {
      const startedMs = performance.now()
      withoutTraces(part.repeat(50_000))
      expect(performance.now() - startedMs).toBeLessThan(1_000)
    }
  })
})
