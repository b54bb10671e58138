import { lazyRouteComponent } from '@tanstack/react-router'
import type { Preload } from '../lib/preload.ts'
import { hasStoredUser, useSession } from '../lib/session.ts'
import { knownStatus, useStatus } from '../lib/status.ts'
import { withTexts } from '../lib/t.ts'

const ChatPage = lazyRouteComponent(
  withTexts(() => import('../features/content/chat-page.tsx'), 'content'),
  'ChatPage',
)
const playground = () => import('../features/playground/playground-page.tsx')
const PlaygroundPage = lazyRouteComponent(withTexts(playground, 'playground'), 'PlaygroundPage')

const hasPlayground = (): boolean => hasStoredUser() && (knownStatus().chat_link ?? '') === ''

/** The code of what is shown there, and what that shows first: the frame of a chat client needs nothing. */
export const loadChat = async (): Promise<{ readonly preload: Preload }> =>
  hasPlayground() ? await playground() : { preload: () => undefined }

/** The chat client of the installation; where none is set, accounts have the playground. */
export function ChatRoute() {
  const { isSignedIn } = useSession()
  const { chat_link: chatLink = '' } = useStatus()
  return isSignedIn && chatLink === '' ? <PlaygroundPage /> : <ChatPage />
}
