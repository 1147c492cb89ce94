package dev.posthorn.relay;

class ModelLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    StoreFixture open() {
        return new ModelFixture();
    }
}
