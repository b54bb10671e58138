import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { ListView } from '../../lib/use-list.ts'

/** A search starts after this pause in typing, in milliseconds; Enter does not wait. */
const pauseMs = 300

export interface SearchBox {
  readonly text: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly type: (text: string) => void
  /** Searches at once. */
  readonly commit: (text: string) => void
  /** Searches for the text at once, also if its rows are shown already: then the list is loaded again. */
  readonly search: () => void
  /** Shows a text to be copied manually, without a search for it. */
  readonly show: (text: string) => void
}

/** Typed text, with the keyword before it and the one that it became. Any other keyword comes from the address and replaces it. */
interface Draft {
  readonly text: string
  readonly from: string
  readonly to: string
}

export function useSearchBox({
  keyword,
  setKeyword,
  refresh,
}: Pick<ListView<{ readonly id: number }>, 'keyword' | 'setKeyword' | 'refresh'>): SearchBox {
  const [draft, setDraft] = useState<Draft>({ text: keyword, from: keyword, to: keyword })
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Once the text is the keyword, the one before it comes from the address only: by Back.
  if (keyword === draft.to && draft.from !== draft.to) setDraft({ ...draft, from: draft.to })
  const isCurrent = keyword === draft.from || keyword === draft.to
  const commit = (text: string) => {
    clearTimeout(timer.current)
    setDraft({ text, from: keyword, to: text.trim() })
    if (text.trim() !== keyword) setKeyword(text)
  }
  const show = useCallback(
    (text: string) => {
      clearTimeout(timer.current)
      setDraft({ text, from: keyword, to: keyword })
      // After the text is rendered, and after a closing menu has returned the focus.
      requestAnimationFrame(() => input.current?.select())
    },
    [keyword],
  )
  const text = isCurrent ? draft.text : keyword
  return {
    text,
    input,
    type: (typed) => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => commit(typed), pauseMs)
      setDraft({ text: typed, from: keyword, to: isCurrent ? draft.to : keyword })
    },
    commit,
    search: () => {
      commit(text)
      if (text.trim() === keyword) refresh()
    },
    show,
  }
}
