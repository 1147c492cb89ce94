package dev.posthorn.simulation;

class PostgresLogContractTest extends LogContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
