import './markdown.css'
import createDOMPurify from 'dompurify'
import { Marked, type Token, type Tokens } from 'marked'
import { memo, useMemo, useState } from 'react'
import { CodeBlock } from './code-block.tsx'
import { createBlockReader } from './markdown-blocks.ts'

/** Images that come with the response. SVG is none of them: it can hold scripts. */
const ownImage = /^data:image\/(?:png|jpeg|webp|gif);base64,/i

/** A reader of its own: what a model writes is shown, never run. HTML in it is a text, and images come from the response itself only. */
const reader = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => (ownImage.test(href) ? `<img src="${escaped(href)}" alt="${escaped(text)}">` : escaped(text || href)),
  },
})

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}

const purify = createDOMPurify(window)
purify.addHook('afterSanitizeAttributes', (element) => {
  if (element.nodeName !== 'A') return
  element.setAttribute('target', '_blank')
  element.setAttribute('rel', 'noopener noreferrer')
})

const tags = ['p', 'br', 'hr', 'a', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'img', 'input'].concat([
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
])

function clean(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'align', 'start', 'type', 'checked', 'disabled'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|webp|gif);base64,)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}

/** Text written by a model. While it grows, only its last block is rendered again. */
export function Markdown({ text }: { readonly text: string }) {
  const [readBlocks] = useState(() => createBlockReader((source) => reader.lexer(source)))
  const blocks = useMemo(() => readBlocks(text), [readBlocks, text])
  if (blocks === null) return <div className="markdown plain">{text}</div>
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks keep their places while the text grows
        <Block key={index} raw={block.raw} code={codeOf(block)} language={languageOf(block)} />
      ))}
    </div>
  )
}

const isCode = (block: Token): block is Tokens.Code => block.type === 'code'
const codeOf = (block: Token): string | null => (isCode(block) ? block.text : null)
const languageOf = (block: Token): string => (isCode(block) ? ((block.lang ?? '').split(/\s/)[0] ?? '') : '')

function htmlOf(raw: string): string {
  try {
    return reader.parse(raw, { async: false })
  } catch {
    return `<p>${escaped(raw)}</p>`
  }
}

interface BlockProps {
  readonly raw: string
  /** `null` = it is not a block of code. */
  readonly code: string | null
  readonly language: string
}

const Block = memo(function Block({ raw, code, language }: BlockProps) {
  const content = useMemo(() => ({ __html: code === null ? clean(htmlOf(raw)) : '' }), [raw, code])
  if (code !== null) return <CodeBlock code={code} language={language} />
  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned on the way in
  return <div dangerouslySetInnerHTML={content} />
})
