package dev.posthorn.simulation;

class ModelLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
