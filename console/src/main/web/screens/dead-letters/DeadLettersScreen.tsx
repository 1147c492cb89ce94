import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { deadLetterOffers } from '~/api/deadLetters'
import { FilterBar } from '~/components/FilterBar'
import { Page } from '~/components/Page'
import { Tabs } from '~/components/Tabs'
import { useAskedAt } from '~/lib/clock'
import { deadLetterFilter, deadLetterQualifiers, namedGroup } from '~/lib/deadLetterFilter'
import { parseFilter, writeTerm } from '~/lib/filter'
import { GroupPanel } from './GroupPanel'
import { Groups } from './Groups'
import { Letters } from './Letters'
import './dead-letters.css'

const route = getRouteApi('/dead-letters')

const offered = { sub: 'subscriberId', class: 'errorClass', cause: 'cause', type: 'types' } as const

export function DeadLettersScreen() {
  const { q = '', view = 'groups' } = route.useSearch()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  // An age counts from when it was asked for, and not anew with every look.
  const asked = useAskedAt(q)
  const filter = useMemo(() => deadLetterFilter(q, asked), [q, asked])
  const group = namedGroup(filter)
  const qualifiers = useMemo(
    () =>
      deadLetterQualifiers.map((qualifier) =>
        qualifier.name in offered
          ? { ...qualifier, values: () => deadLetterOffers(queries, offered[qualifier.name as keyof typeof offered]).catch(() => []) }
          : qualifier,
      ),
    [queries],
  )
  const go = (text: string, to: 'groups' | 'list') => {
    void navigate({ search: { ...(text === '' ? {} : { q: text }), ...(to === 'list' ? { view: to } : {}) } })
  }
  return (
    <Page title="Dead letters" about="What could not be delivered. It waits here until it is replayed, discarded or purged.">
      <FilterBar
        label="Filter dead letters"
        qualifiers={qualifiers}
        words
        value={q}
        onChange={(next) => {
          go(next, view)
        }}
      />
      <Tabs
        label="How they are shown"
        open={view}
        onOpen={(id) => {
          go(q, id === 'list' ? 'list' : 'groups')
        }}
        tabs={[
          {
            id: 'groups',
            name: 'By cause',
            content: () => (
              <Groups
                filter={filter}
                filtered={q !== ''}
                onOpen={(text) => {
                  go([...(text === '' ? [] : [text]), ...carried(q)].join(' '), 'list')
                }}
              />
            ),
          },
          {
            id: 'list',
            name: 'One by one',
            content: () => (
              <div className="stack">
                {group && <GroupPanel group={group} />}
                {/* What was chosen was chosen of what this filter shows. */}
                <Letters key={q} q={q} filter={filter} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  )
}

/** What of a filter still holds within one of its groups: all but what names the group. */
function carried(text: string): string[] {
  const named = new Set(['sub', 'class', 'cause'])
  return parseFilter(text, deadLetterQualifiers)
    .filter((term) => !named.has(term.qualifier ?? ''))
    .map((term) => writeTerm(term.qualifier, term.value))
}
