import { MessageSquareOff } from 'lucide-react'
import { useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, useDocumentTitle } from '../../ui/page.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'

/** The height of the chat (specification, section 2). */
const chatHeight = '85vh'

/** The chat client of this installation. Its address carries no key: a reader signs in there, or opens it from a token. */
export function ChatPage() {
  const t = useT()
  const { chat_link } = useStatus()
  useDocumentTitle(t('nav.chat'))
  if (chat_link) return <PageFrame src={chat_link} title={t('nav.chat')} hasBar height={chatHeight} />
  return (
    <Page title={t('nav.chat')}>
      <div className="rounded-md border bg-surface">
        <EmptyState icon={<MessageSquareOff />} title={t('chat.none')} text={t('chat.none.text')} />
      </div>
    </Page>
  )
}
