package dev.posthorn.relay;

class PostgresLogContractTest extends LogContract {

    @Override
    StoreFixture open() {
        return new PostgresFixture();
    }
}
