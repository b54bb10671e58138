import type { ReactNode } from 'react'
import { useT } from '../lib/t.ts'
import { CopyButton } from './copy-field.tsx'

interface CodeBlockProps {
  readonly code: string
  /** As the text names it, or a choice of several; empty = it does not. */
  readonly language: ReactNode
}

/** Code with a button that copies it. It scrolls sideways, also by keyboard. */
export function CodeBlock({ code, language }: CodeBlockProps) {
  const t = useT()
  return (
    <div className="my-2 overflow-hidden rounded-md border bg-sunken">
      <div className="flex items-center justify-between border-b py-0.5 pr-1 pl-3 text-sm text-muted">
        <span>{language}</span>
        <CopyButton text={code} label={t('codeBlock.copy')} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of lines */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={t('codeBlock.label')} role="group" className="overflow-x-auto p-3 font-mono text-sm thin-scroll">
        <code>{code}</code>
      </pre>
    </div>
  )
}
