package dev.posthorn.simulation;

class ModelFrontStoreContractTest extends FrontStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
