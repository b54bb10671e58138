import { useState } from 'react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { type CodeLanguage, codeLanguageNames, codeLanguages } from '../../lib/request-code.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { bodyOf, countFaults } from './chat-request.ts'
import { codeOf } from './code-samples.ts'
import { type Conversation, withTurn } from './conversation.ts'

interface CodeSheetProps {
  readonly conversation: Conversation
  /** What is typed and not sent yet. */
  readonly draft: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The request as a program. */
export function CodeSheet({ conversation, draft, isOpen, onClose }: CodeSheetProps) {
  const t = useT()
  return (
    <Sheet title={t('playground.code.title')} side="right" isOpen={isOpen} onClose={onClose}>
      {isOpen ? <Code conversation={conversation} draft={draft} /> : null}
    </Sheet>
  )
}

function Code({ conversation, draft }: Pick<CodeSheetProps, 'conversation' | 'draft'>) {
  const t = useT()
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const origin = useClientOrigin()
  if (countFaults(conversation) > 0) return <Alert kind="warning">{t('playground.code.faults')}</Alert>
  const { models, turns, variables: values } = conversation
  // What is typed is sent next; before the first prompt the program asks something, so that it runs as it is.
  const next = draft.trim() === '' && turns.length === 0 ? t('playground.idea.1') : draft
  const preview = next.trim() === '' ? conversation : withTurn(conversation, { id: '', text: next, values, attachments: [] })
  return (
    <div className="space-y-3">
      <Segments
        label={t('playground.code.language')}
        value={language}
        options={codeLanguages.map((value) => ({ value, label: codeLanguageNames[value] }))}
        onChange={setLanguage}
      />
      <p className="text-sm text-muted">{t('playground.code.key')}</p>
      {models.map((name, lane) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
        <CodeBlock key={lane} code={codeOf(language, bodyOf(preview, lane), origin)} language={name} />
      ))}
    </div>
  )
}
