import { Copy } from 'lucide-react'
import { type ClipboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'

/** The cell under the pointer. */
interface PointedCell {
  readonly text: string
  /** The head of its column. */
  readonly name: string
  /** Where its button is, in the frame. */
  readonly left: number
  readonly top: number
}

const buttonSize = 24

/**
 * Around a table: the pointer gets a button that copies the cell it is on, and the keyboard copies the row that has the focus, with tabs
 * between its cells. A finger selects text. The button appears a moment later, and until then a click at its place is one on the row.
 */
export function CellCopy({ children }: { readonly children: ReactNode }) {
  const t = useT()
  const frame = useRef<HTMLDivElement>(null)
  const [cell, setCell] = useState<PointedCell | null>(null)
  const point = ({ target, pointerType }: PointerEvent) => {
    if (pointerType !== 'mouse' || !(target instanceof Element) || target.closest('[data-cell-copy]') !== null) return
    setCell(pointedCell(target, frame.current))
  }
  const copy = async ({ text }: PointedCell) => {
    if (await copyText(text)) showToast('success', t('copy.done'))
    else showToast('warning', t('copy.failed'))
  }
  const copyRow = (event: ClipboardEvent) => {
    const row = document.activeElement
    if (!(row instanceof HTMLTableRowElement) || getSelection()?.isCollapsed === false) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', [...row.cells].filter(isPlain).map(textOf).join('\t'))
    showToast('success', t('copy.done'))
  }
  return (
    <div
      ref={frame}
      onPointerOver={point}
      onPointerLeave={() => setCell(null)}
      onScrollCapture={() => setCell(null)}
      onCopy={copyRow}
      className="relative"
    >
      {children}
      {cell === null ? null : (
        <button
          // Each cell has a new one, so that each waits.
          key={`${cell.left} ${cell.top}`}
          type="button"
          data-cell-copy
          // The keyboard copies the row.
          tabIndex={-1}
          aria-label={t('list.cell.copy', { name: cell.name })}
          title={t('list.cell.copy', { name: cell.name })}
          onClick={() => void copy(cell)}
          style={{ left: cell.left, top: cell.top }}
          className="absolute z-10 flex size-6 items-center justify-center rounded-sm border bg-surface text-muted shadow-sm transition-[opacity,visibility] delay-200 hover:text-text starting:invisible starting:opacity-0"
        >
          <Copy aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  )
}

/** `null`: there is nothing to copy. */
function pointedCell(target: Element, frame: HTMLElement | null): PointedCell | null {
  const cell = target.closest<HTMLTableCellElement>('tbody > tr > :is(td, th)')
  if (cell === null || frame === null || !isPlain(cell)) return null
  const text = textOf(cell)
  if (text === '') return null
  const [box, around] = [cell.getBoundingClientRect(), frame.getBoundingClientRect()]
  const isAtEnd = getComputedStyle(cell).textAlign === 'right'
  return {
    text,
    name: cell.closest('table')?.tHead?.rows[0]?.cells[cell.cellIndex]?.textContent ?? '',
    left: (isAtEnd ? box.left : box.right - buttonSize) - around.left,
    top: box.top + (box.height - buttonSize) / 2 - around.top,
  }
}

/** Whether a cell shows a text and nothing that is pressed. */
const isPlain = (cell: HTMLTableCellElement): boolean => cell.querySelector('a, button, input, video, audio') === null

/** What a cell says; of a cut text the whole. */
function textOf(cell: HTMLTableCellElement): string {
  return (cell.querySelector<HTMLElement>('.truncate[title]')?.title ?? cell.textContent).trim()
}
