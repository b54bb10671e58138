import { useSession } from '../lib/session.ts'
import { useStatus } from '../lib/status.ts'
import { navItemsFor } from './nav-items.ts'
import { useIsVisitorPage } from './visitor-pages.ts'

/** The pages of the menu that this reader may open. */
export function useNavItems(): ReturnType<typeof navItemsFor> {
  const { isSignedIn, isAdmin } = useSession()
  const isOfVisitors = useIsVisitorPage()
  const { chat_link: chatLink = '', public_models: showsModels = false, status_page: hasStatusPage = false } = useStatus()
  return navItemsFor({ isSignedIn: isSignedIn && !isOfVisitors, isAdmin, hasChat: chatLink !== '', showsModels, hasStatusPage })
}
