import { createHash } from 'node:crypto'
import type { JsonSchema } from '@sluice/contract/json-schema'
import type { OpenApi, Operation } from '@sluice/contract/openapi'

/** The colours of the console, light or dark by the reader's preference, without a script. */
const style = `
:root { color-scheme: light dark; --canvas: light-dark(#f6f7f9, #0e1116); --surface: light-dark(#fff, #161a21);
  --text: light-dark(#161a20, #e7eaef); --muted: light-dark(#535d6b, #a3acba); --line: light-dark(#e1e5ea, #2b323d);
  --accent: light-dark(#2449ad, #8fb0ff); --tint: light-dark(#eef0f3, #1d222b); }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--canvas); color: var(--text);
  font: 0.9375rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { margin: 2rem 0 0.5rem; font-size: 1.125rem; } h3 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; }
a { color: var(--accent); } nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
code { padding: 0 0.25rem; border-radius: 0.25rem; background: var(--tint); font: 0.875rem/1.5 ui-monospace, monospace; }
p code, summary code { overflow-wrap: anywhere; }
details { margin: 0.25rem 0; padding: 0 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--surface); }
summary { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; padding: 0.5rem 0; cursor: pointer; list-style: none; }
summary::before { content: '+'; width: 0.75rem; color: var(--muted); } [open] > summary::before { content: '−'; }
summary > :last-child { margin-inline-start: auto; color: var(--muted); }
.method { min-width: 3.5rem; font-weight: 600; } p { margin: 0.5rem 0; }
table { width: 100%; margin: 0.25rem 0 0.75rem; border-collapse: collapse; } td:nth-child(-n+3) { width: 22%; } th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid var(--line);
  text-align: start; vertical-align: top; } th { color: var(--muted); font-weight: 500; } td { overflow-wrap: anywhere; }
@media (width <= 600px) { thead { display: none; } td { display: block; padding: 0; border: 0; } td:first-child { border-top: 1px solid var(--line); padding-top: 0.25rem; } }
`

/** Allows the page's own style and nothing else. */
export const apiPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const words = {
  en: {
    document: 'As an OpenAPI document',
    takes: 'Takes',
    responses: 'Answers',
    name: 'Name',
    type: 'Type',
    rules: 'Rules',
    meaning: 'Meaning',
    required: 'required',
  },
  zh: {
    document: 'OpenAPI 文档',
    takes: '参数',
    responses: '返回的 data',
    name: '名称',
    type: '类型',
    rules: '规则',
    meaning: '说明',
    required: '必填',
  },
} as const

type Words = (typeof words)[keyof typeof words]

/** Renders the document as an HTML page. */
export function apiPage(document: OpenApi, language: 'en' | 'zh'): string {
  const labels = words[language]
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    const calls = own.map((call) => callBlock(call, { document, labels }))
    return `<section id="${escapeHtml(name)}"><h2>${escapeHtml(name)}</h2>${calls.join('\n')}</section>`
  })
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)}</title><style>${style}</style></head>
<body>
<header><h1>${escapeHtml(document.info.title)} ${escapeHtml(document.info.version)}</h1>${paragraphs(document.info.description)}
<p><a href="/api/openapi.json">${labels.document}</a></p>
<nav>${document.tags.map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`).join('')}</nav></header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}

interface Context {
  readonly document: OpenApi
  readonly labels: Words
}

interface Call {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function callBlock({ path, method, operation }: Call, { document, labels }: Context): string {
  const parameterRows = operation.parameters.map(({ name, required, schema }) => member(name, schema, required ? labels.required : ''))
  const body = operation.requestBody?.content['application/json'].schema
  const bodyRows = body === undefined ? [] : members(body, document, labels.required)
  const ok = operation.responses['200']
  const response = ok !== undefined && 'content' in ok ? ok.content['application/json'].schema.anyOf?.[0]?.properties?.['data'] : undefined
  return `<details id="${escapeHtml(operation.operationId)}"><summary><span class="method">${method}</span><code>${escapeHtml(path)}</code>
<span>${escapeHtml(operation.summary)}</span><span>${operation['x-access']}</span></summary>
${paragraphs(operation.description)}
${table(labels.takes, [...parameterRows, ...bodyRows], labels)}
${response === undefined ? '' : `<h3>${labels.responses}</h3><p><code>${escapeHtml(typeOf(response))}</code></p>${table('', members(response, document, ''), labels)}`}
</details>`
}

function table(title: string, rows: readonly string[], labels: Words): string {
  if (rows.length === 0) return ''
  const head = `<tr><th scope="col">${labels.name}</th><th scope="col">${labels.type}</th><th scope="col">${labels.rules}</th><th scope="col">${labels.meaning}</th></tr>`
  return `${title === '' ? '' : `<h3>${title}</h3>`}<table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table>`
}

/**
 * One row for each member of an object, or of the objects of a list.
 * @param required text for required members; empty in responses, where all members are present
 */
function members(schema: JsonSchema, document: OpenApi, required: string): readonly string[] {
  const objectSchema = resolve(schema.items ?? schema, document)
  const first = objectSchema.anyOf?.[0]
  if (first !== undefined) return members(first, document, required)
  return Object.entries(objectSchema.properties ?? {}).map(([name, type]) =>
    member(name, type, objectSchema.required?.includes(name) ? required : ''),
  )
}

function resolve(schema: JsonSchema, { components }: OpenApi): JsonSchema {
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
}

function member(name: string, schema: JsonSchema, required: string): string {
  const rules = [required, ...rulesOf(schema)].filter((rule) => rule !== '').join(', ')
  const cells = [escapeHtml(typeOf(schema)), escapeHtml(rules), marked(schema.description ?? '')]
  return `<tr><td><code>${escapeHtml(name)}</code></td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.items !== undefined) return `${typeOf(schema.items)}[]`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return parts.map(typeOf).join(' | ')
  return [schema.type ?? 'any'].flat().join(' | ')
}

function rulesOf(schema: JsonSchema): readonly string[] {
  const named = { minimum: '≥', maximum: '≤', minLength: 'length ≥', maxLength: 'length ≤', default: '=' } as const
  return Object.entries(named).flatMap(([key, sign]) => {
    const value = Object.entries(schema).find(([name]) => name === key)?.[1]
    return value === undefined || value === '' ? [] : [`${sign} ${JSON.stringify(value)}`]
  })
}

/** Text with `code` in it. */
function marked(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((part) => `<p>${marked(part)}</p>`)
    .join('')
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (letter) => names[letter] ?? letter)
}
