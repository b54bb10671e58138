import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PagePath } from './page-path.ts'

interface TextLinkProps {
  readonly to: PagePath
  readonly children: ReactNode
}

/** A link within a text. */
export function TextLink({ to, children }: TextLinkProps) {
  return (
    <Link to={to} className="rounded-sm font-medium text-accent hover:underline">
      {children}
    </Link>
  )
}
