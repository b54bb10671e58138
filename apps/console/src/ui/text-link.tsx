import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PagePath } from './page-path.ts'

interface TextLinkProps {
  readonly to: PagePath
  readonly search?: Readonly<Record<string, string | number>>
  readonly children: ReactNode
}

/** A link within a text. */
export function TextLink({ to, search = {}, children }: TextLinkProps) {
  return (
    <Link to={to} search={search} className="rounded-sm font-medium text-accent hover:underline">
      {children}
    </Link>
  )
}
