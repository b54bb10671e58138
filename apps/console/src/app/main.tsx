import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { leavesForBasePath } from '../lib/base-path.ts'
import { showNewNotice } from '../lib/notice.ts'
import { noteOpening } from '../lib/preload.ts'
import { forgetReads } from '../lib/reads.ts'
import { accountId, onSession, onSessionExpired, watchAccount } from '../lib/session.ts'
import { storedStatus } from '../lib/status.ts'
import { startLocale } from '../lib/t.ts'
import { applyDesign, startTheme } from '../lib/theme.ts'
import { forgetPlaygroundAtEnd } from './forget-playground.ts'
import { headingFocus } from './heading-focus.ts'
import { preloadFirstPage } from './preload-first-page.ts'
import { createQueryClient } from './query-client.ts'
import { createConsoleRouter } from './router.tsx'

// Loaded in parallel with the first page, not before it; toasts shown earlier wait for it.
const ToastRegion = lazy(async () => ({ default: (await import('../ui/toast-region.tsx')).ToastRegion }))

async function start(root: HTMLElement): Promise<void> {
  // Its headings would be the first of the document.
  document.querySelector('.too-old')?.remove()
  startTheme()
  applyDesign(storedStatus().theme)
  const client = createQueryClient()
  const router = createConsoleRouter(client)
  // Both wait for the network.
  const texts = startLocale()
  preloadFirstPage(router)
  await texts
  let reader = accountId()
  onSession(() => {
    const account = accountId()
    if (account === null || account === reader) return
    reader = account
    forgetReads(client)
  })
  forgetPlaygroundAtEnd()
  watchAccount()
  onSessionExpired(() => {
    client.clear()
    const { href, pathname } = router.state.location
    // Several 401s at once show one message. At the login itself, the page that it leads back to stays.
    const isThere = pathname === '/login'
    void router.navigate({ to: '/login', search: { expired: true }, replace: isThere, state: isThere ? true : { from: href } })
  })
  router.subscribe('onBeforeNavigate', noteOpening)
  const focusHeading = headingFocus()
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // The first page starts at the top as usual.
    if (fromLocation !== undefined && pathChanged) focusHeading()
  })
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Suspense>
          <ToastRegion />
        </Suspense>
      </QueryClientProvider>
    </StrictMode>,
  )
  void showNewNotice()
}

const root = document.getElementById('root')
if (root !== null && !isBrowserTooOld() && !leavesForBasePath()) void start(root)

/** The page has found out and says so. */
function isBrowserTooOld(): boolean {
  return document.documentElement.dataset['browser'] === 'too-old'
}
