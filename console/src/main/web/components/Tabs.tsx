import * as Radix from '@radix-ui/react-tabs'
import type { ReactNode } from 'react'
import './tabs.css'

export interface Tab {
  id: string
  name: ReactNode
  /** Rendered only while it is open. */
  content: () => ReactNode
}

/** Which one is open is the screen's to keep: in the URL, so that it survives a reload. */
export function Tabs({ label, tabs, open, onOpen }: { label: string; tabs: Tab[]; open: string; onOpen: (id: string) => void }) {
  return (
    <Radix.Root value={open} onValueChange={onOpen} className="tabs">
      <Radix.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className="tabs-tab">
            {tab.name}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="tabs-content">
          {tab.id === open && tab.content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
