package dev.posthorn.simulation;

class PostgresLaneStoreContractTest extends LaneStoreContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
