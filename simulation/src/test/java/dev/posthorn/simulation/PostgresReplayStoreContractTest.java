package dev.posthorn.simulation;

class PostgresReplayStoreContractTest extends ReplayStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
