using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

[SetUpFixture]
public sealed class SharedDataFixture
{
    [OneTimeSetUp]
    public Task WriteFiles() => SharedData.WriteDataSetAsync();

    [OneTimeTearDown]
    public void RemoveFiles() => SharedData.Delete();
}
