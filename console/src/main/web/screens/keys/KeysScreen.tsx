import { useState } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { useKeyChanges, useKeys, type CreatedKey, type KeyItem } from '~/api/keys'
import { useMe } from '~/api/session'
import { ActionButton } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty, Permitted } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { toast } from '~/components/Toasts'
import { CreatedDialog } from './CreatedDialog'
import { NewKeyDialog } from './NewKeyDialog'
import { scopeOf } from './newKey'

const route = getRouteApi('/keys')

export function KeysScreen() {
  const [asking, setAsking] = useState(false)
  const [created, setCreated] = useState<CreatedKey>()
  return (
    <Page
      title="Keys"
      about="Who may call this hub, and with which role. A key is shown when it is made, and never again."
      actions={
        <ActionButton
          action="key.create"
          look="primary"
          onClick={() => {
            setAsking(true)
          }}
        >
          New key
        </ActionButton>
      }
    >
      <Permitted action="key.look">
        <Keys />
      </Permitted>
      {asking && (
        <NewKeyDialog
          onClose={() => {
            setAsking(false)
          }}
          onCreated={(key) => {
            setAsking(false)
            setCreated(key)
          }}
        />
      )}
      {created !== undefined && (
        <CreatedDialog
          created={created}
          onClose={() => {
            setCreated(undefined)
          }}
        />
      )}
    </Page>
  )
}

function Keys() {
  const keys = useKeys()
  const me = useMe()
  const { show = 'valid' } = route.useSearch()
  const navigate = route.useNavigate()
  const { revoke } = useKeyChanges()
  const [revoking, setRevoking] = useState<KeyItem>()
  const rows = show === 'all' ? keys.rows : keys.rows.filter((row) => row.revokedAt === undefined)
  const columns: Column<KeyItem>[] = [
    {
      name: 'Name',
      width: 'minmax(120px, 1.4fr)',
      cell: (row) => (
        <>
          {row.name}
          {me.keys && row.name === me.name && <span className="muted"> (yours)</span>}
        </>
      ),
    },
    { name: 'Role', width: '95px', cell: (row) => row.role },
    {
      name: 'State',
      width: '105px',
      cell: (row) => (row.revokedAt === undefined ? <Badge tone="ok">valid</Badge> : <Badge tone="off">revoked</Badge>),
    },
    { name: 'Payloads', width: '95px', cell: (row) => (row.role === 'publisher' ? <span className="muted">none</span> : row.payload ? 'unmasked' : 'masked') },
    { name: 'May publish', width: 'minmax(115px, 1.2fr)', cell: (row) => <span data-tip={scopeOf(row)}>{scopeOf(row)}</span> },
    { name: 'Created', width: '160px', cell: (row) => <Time at={row.createdAt} focusable={false} /> },
    { name: 'By', width: 'minmax(80px, 0.8fr)', cell: (row) => row.createdBy ?? <span className="muted">–</span> },
    ...(show === 'all' ? [{ name: 'Revoked', width: '160px', cell: (row: KeyItem) => <Time at={row.revokedAt} focusable={false} /> }] : []),
    {
      name: 'Do',
      width: '100px',
      cell: (row) =>
        row.revokedAt === undefined && (
          <ActionButton
            action="key.revoke"
            look="quiet"
            aria-label={`Revoke ${row.name}`}
            onClick={() => {
              setRevoking(row)
            }}
          >
            Revoke
          </ActionButton>
        ),
    },
  ]
  const own = me.keys && revoking?.name === me.name
  return (
    <>
      <label className="row">
        <input
          type="checkbox"
          checked={show === 'all'}
          onChange={(event) => void navigate({ search: event.target.checked ? { show: 'all' } : {} })}
        />
        Revoked ones too
      </label>
      <PagedTable
        label="API keys"
        columns={columns}
        pages={{ ...keys, rows }}
        rowKey={(row) => `${row.name} ${row.createdAt ?? ''}`}
        rowHeight={40}
        empty={
          keys.rows.length > 0 ? (
            <Empty title="All keys are revoked." />
          ) : (
            <Empty title="This hub has no keys.">
              <p>It answers to its own machine alone, and lets it do everything. The first key must be an admin’s; from then on every call needs one.</p>
            </Empty>
          )
        }
      />
      <ConfirmDialog
        open={revoking !== undefined}
        onClose={() => {
          setRevoking(undefined)
        }}
        title={`Revoke the key ${revoking?.name ?? ''}?`}
        verb="Revoke 1 key"
        danger
        reason="none"
        onConfirm={async () => {
          const name = revoking?.name ?? ''
          await revoke(name)
          toast(`${name} is revoked.`)
        }}
      >
        <p>It is worth nothing within a second, on every instance, and whoever uses it gets 401. This cannot be taken back: a new key has to be made, of another name.</p>
        {own && (
          <p>
            <strong>This is the key that you are signed in with.</strong> You will be signed out.
          </p>
        )}
      </ConfirmDialog>
    </>
  )
}
