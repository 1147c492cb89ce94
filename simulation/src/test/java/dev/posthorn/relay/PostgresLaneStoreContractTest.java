package dev.posthorn.relay;

class PostgresLaneStoreContractTest extends LaneStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
