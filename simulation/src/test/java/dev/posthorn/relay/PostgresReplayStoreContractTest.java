package dev.posthorn.relay;

class PostgresReplayStoreContractTest extends ReplayStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
