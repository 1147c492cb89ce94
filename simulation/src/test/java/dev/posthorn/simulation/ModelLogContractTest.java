package dev.posthorn.simulation;

class ModelLogContractTest extends LogContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
