import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { PageLoading } from '../ui/page.tsx'

/** How long the previous page stays while the code of the next one comes. */
const lateMs = 150

/**
 * The page, or that it is loading. The router's own pending component does not appear for a page that was asked for before the click, as it
 * is whenever its link is pointed at.
 */
export function PageOutlet() {
  const awaited = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) =>
      isLoading && location.pathname !== resolvedLocation?.pathname ? location.pathname : null,
  })
  const [late, setLate] = useState<string | null>(null)
  useEffect(() => {
    if (awaited === null) return
    const timer = setTimeout(() => setLate(awaited), lateMs)
    return () => {
      clearTimeout(timer)
      setLate(null)
    }
  }, [awaited])
  return late === null ? <Outlet /> : <PageLoading />
}
