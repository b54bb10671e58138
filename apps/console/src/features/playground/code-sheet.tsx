import { useState } from 'react'
import { useClientOrigin } from '../../lib/client-origin.ts'
import { type CodeLanguage, codeLanguageNames, codeLanguages } from '../../lib/request-code.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { bodyOf, faultsOf } from './chat-request.ts'
import { codeOf } from './code-samples.ts'
import type { Conversation } from './conversation.ts'

interface CodeSheetProps {
  readonly conversation: Conversation
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The request as a program. */
export function CodeSheet({ conversation, isOpen, onClose }: CodeSheetProps) {
  const t = useT()
  return (
    <Sheet title={t('playground.code.title')} side="right" isOpen={isOpen} onClose={onClose}>
      {isOpen ? <Code conversation={conversation} /> : null}
    </Sheet>
  )
}

function Code({ conversation }: Pick<CodeSheetProps, 'conversation'>) {
  const t = useT()
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const origin = useClientOrigin()
  if (Object.keys(faultsOf(conversation.parameters)).length > 0) return <Alert kind="warning">{t('playground.code.faults')}</Alert>
  const { models, turns } = conversation
  // Before the first prompt the program asks something, so that it runs as it is.
  const asked =
    turns.length > 0 ? conversation : { ...conversation, turns: [{ id: '', text: t('playground.idea.1'), attachments: [], answers: [] }] }
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
        <CodeBlock key={lane} code={codeOf(language, bodyOf(asked, lane), origin)} language={name} />
      ))}
    </div>
  )
}
