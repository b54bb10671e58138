import { type CodeLanguage, curlOf, jsonOf, keyVariable, type RequestBody } from '../../lib/request-code.ts'
import { chatPath } from './chat-request.ts'

/** The request of a lane as a program that runs as it is. `origin` has no final slash. */
export function codeOf(language: CodeLanguage, body: RequestBody, origin: string): string {
  const short = shortened(body)
  if (language === 'curl') return curlOf(`${origin}${chatPath}`, short)
  return language === 'python' ? pythonOf(short, origin) : javascriptOf(short, origin)
}

const dataLengthMax = 60

/** Images and files stand in the code by their beginning only. */
function shortened(body: RequestBody): RequestBody {
  const short = (_: string, value: unknown) =>
    typeof value === 'string' && value.startsWith('data:') && value.length > dataLengthMax ? `${value.slice(0, dataLengthMax)}...` : value
  // Holds: an object stays an object in JSON.
  return JSON.parse(JSON.stringify(body, short)) as RequestBody
}

function pythonOf(body: RequestBody, origin: string): string {
  const { stream, ...rest } = body
  const members = Object.entries(rest).map(([name, value]) => `    ${name}=${pythonValue(value, 1)},`)
  const call = ['answer = client.chat.completions.create(', ...members, ...(stream === true ? ['    stream=True,'] : []), ')']
  const printLines = [
    'for chunk in answer:',
    '    if chunk.choices:',
    '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
  ]
  return [
    'import os',
    '',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${JSON.stringify(`${origin}/v1`)}, api_key=os.environ["${keyVariable}"])`,
    ...call,
    ...(stream === true ? printLines : ['print(answer.choices[0].message.content)']),
  ].join('\n')
}

/** JSON's words, texts, lists and objects as Python writes them. */
function pythonValue(value: unknown, depth: number): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return jsonOf(value)
  const inner = '    '.repeat(depth + 1)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const items = Array.isArray(value)
    ? value.map((item) => pythonValue(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${jsonOf(name)}: ${pythonValue(item, depth + 1)}`)
  if (items.length === 0) return `${open}${close}`
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${'    '.repeat(depth)}${close}`
}

function javascriptOf(body: RequestBody, origin: string): string {
  const create = `await client.chat.completions.create(${jsonOf(body, 2)})`
  const printLines =
    body['stream'] === true
      ? [`const stream = ${create}`, "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')"]
      : [`const answer = ${create}`, 'console.log(answer.choices[0].message.content)']
  return [
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(`${origin}/v1`)}, apiKey: process.env.${keyVariable} })`,
    ...printLines,
  ].join('\n')
}
