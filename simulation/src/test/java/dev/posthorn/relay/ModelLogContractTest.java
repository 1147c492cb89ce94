package dev.posthorn.relay;

class ModelLogContractTest extends LogContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
