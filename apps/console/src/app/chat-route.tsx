import { lazyRouteComponent } from '@tanstack/react-router'
import { useSession } from '../lib/session.ts'
import { useStatus } from '../lib/status.ts'
import { withTexts } from '../lib/t.ts'

const ChatPage = lazyRouteComponent(
  withTexts(() => import('../features/content/chat-page.tsx'), 'content'),
  'ChatPage',
)
const PlaygroundPage = lazyRouteComponent(
  withTexts(() => import('../features/playground/playground-page.tsx'), 'playground'),
  'PlaygroundPage',
)

/** The chat client of the installation; where none is set, accounts have the playground. */
export function ChatRoute() {
  const { isSignedIn } = useSession()
  const { chat_link: chatLink = '' } = useStatus()
  return isSignedIn && chatLink === '' ? <PlaygroundPage /> : <ChatPage />
}
