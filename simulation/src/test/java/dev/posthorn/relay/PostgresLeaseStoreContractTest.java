package dev.posthorn.relay;

class PostgresLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
