import { pdfStreams } from './pdf-streams.ts'
import { visibleTextBytes } from './visible-text-bytes.ts'

/** What a PDF says of its length. */
export interface PdfLength {
  /** Page objects; 0: none can be read. */
  readonly pages: number
  /** No fewer than it has; `null`: it cannot be read well enough to know. */
  readonly pagesMax: number | null
  /** Bytes of text, of the stream with the most of it and of all. */
  readonly textBytes: { readonly longest: number; readonly all: number }
}

/**
 * Counts the pages of a PDF (ISO 32000-1, 7.7.3) without its cross-reference table, which readers repair in different ways: page objects, and
 * what the lists of all page trees refer to, wherever they are. Takes time in proportion to the document and what is packed in it.
 */
export function pdfLength(bytes: Buffer): PdfLength {
  const text = readable(bytes)
  const count: Count = { pages: 0, children: new Set(), isTree: !encryption.test(text) }
  countPages(text, count)
  let [longest, all] = [0, 0]
  for (const stream of pdfStreams(bytes, text)) {
    const content = stream === null ? '' : readable(stream)
    if (stream === null) count.isTree = false
    countPages(content, count)
    const textBytes = visibleTextBytes(content)
    longest = Math.max(longest, textBytes)
    all += textBytes
  }
  const { pages, children, isTree } = count
  const pagesMax = Math.max(pages, children.size)
  return { pages: pages === 0 ? children.size : pages, pagesMax: isTree && pagesMax > 0 ? pagesMax : null, textBytes: { longest, all } }
}

/** As Latin-1, with spaces for zeros, which are white space (7.2.2). */
function readable(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll('\0', ' ')
}

interface Count {
  pages: number
  /** Numbers of the objects that page trees and other trees refer to. */
  readonly children: Set<string>
  /** No object is a child of two, which would have more pages than objects, and all lists of children could be read. */
  isTree: boolean
}

// Each character of a name may be written as `#` and two hexadecimal digits.
const encryption = /\/(?:E|#45)(?:n|#6[eE])(?:c|#63)(?:r|#72)(?:y|#79)(?:p|#70)(?:t|#74)(?![\w#])/
const pageType = /\/(?:T|#54)(?:y|#79)(?:p|#70)(?:e|#65)\s*\/(?:P|#50)(?:a|#61)(?:g|#67)(?:e|#65)(?![\w#])/g
const kids = /\/(?:K|#4[bB])(?:i|#69)(?:d|#64)(?:s|#73)(?![\w#])/g

function countPages(text: string, count: Count): void {
  for (const _ of text.matchAll(pageType)) count.pages += 1
  let done = 0
  for (const { 0: name, index } of text.matchAll(kids)) {
    const list = listAt(text, index + name.length)
    if (list === null || index < done) count.isTree = false
    if (list === null || !count.isTree) return
    done = list.end
    for (const [, child = ''] of list.entries.matchAll(/(\d{1,10})\s+\d{1,10}\s+R/g)) {
      if (count.children.has(child)) count.isTree = false
      count.children.add(child)
    }
  }
}

interface List {
  readonly entries: string
  readonly end: number
}

/** The references of a list that begins here, without comments; `null`: there is another value, or it has other entries. */
function listAt(text: string, from: number): List | null {
  const begin = skip(text, /\s+|%[^\r\n]*/y, from).end
  if (text[begin] !== '[') return null
  const { skipped, end } = skip(text, /[\d\sR]+|%[^\r\n]*/y, begin + 1)
  return text[end] === ']' ? { entries: skipped, end: end + 1 } : null
}

/** What matches a sticky pattern again and again, with a space for each comment. */
function skip(text: string, pattern: RegExp, from: number): { readonly skipped: string; readonly end: number } {
  let [skipped, end] = ['', from]
  pattern.lastIndex = from
  for (let part = pattern.exec(text); part !== null; part = pattern.exec(text)) {
    skipped += part[0].startsWith('%') ? ' ' : part[0]
    end = pattern.lastIndex
  }
  return { skipped, end }
}
