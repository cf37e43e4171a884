using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using NUnit.Framework.Internal;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Opening;
using VectorPipe.Devices.Portable;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Devices;

/// <summary>A device for the conformance suite: its options, and whether a fault decorator lies around it.</summary>
/// <param name="Name">Name of the fixture.</param>
/// <param name="Options">Options of the device.</param>
/// <param name="Rates">Faults of the decorator; null for no decorator.</param>
internal sealed record DeviceUnderTest(string Name, DeviceOptions Options, FaultRates? Rates)
{
    private static readonly (string Name, DeviceOptions Options)[] _devices =
    [
        ("uring", new DeviceOptions { Kind = DeviceKind.Uring }),
        ("uring-sqpoll", new DeviceOptions { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { SqPoll = true } }),
        ("uring-unregistered", new DeviceOptions { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { RegisterBuffers = false } }),
        ("portable", new DeviceOptions { Kind = DeviceKind.Portable }),
        ("memory", new DeviceOptions { Kind = DeviceKind.Memory }),
        ("memory-ring", TestDevice.MemoryRing.Options() with { QueueDepth = DeviceQueueOptions.MaxCapacity }),
    ];

    /// <summary>The portable device over files that are opened as on other operating systems; what those answer is forced.</summary>
    private static readonly DeviceUnderTest[] _foreign =
    [
        new("portable, opened as on Windows", new DeviceOptions { Kind = DeviceKind.Portable }, null) { Opening = new WindowsOpening() },
        new("portable, opened as on macOS", new DeviceOptions { Kind = DeviceKind.Portable }, null)
        {
            Opening = new MacOpening(bypass: _ => 0),
        },
    ];

    /// <summary>The way in which files are opened; null for that of this operating system.</summary>
    public IFileOpening? Opening { get; init; }

    /// <summary>
    /// Every device, bare, inside an idle decorator, and inside one that delays and reorders. The decorator is the same around each, so
    /// most pairs with it are left to long runs.
    /// </summary>
    public static IEnumerable<TestFixtureData> All()
    {
        foreach ((string name, DeviceOptions options) in _devices)
        {
            yield return Fixture(new DeviceUnderTest(name, options, null));
            yield return Fixture(
                new DeviceUnderTest(name + ", decorated", options, new FaultRates()), isHeavy: name is not ("uring" or "memory"));
            yield return Fixture(
                new DeviceUnderTest(name + ", delayed and reordered", options, FaultRates.Benign),
                isHeavy: name is not ("portable" or "memory-ring"));
        }

        foreach (DeviceUnderTest foreign in _foreign)
            yield return Fixture(foreign);
    }

    /// <summary>Every device without the decorator, which may allocate.</summary>
    public static IEnumerable<TestFixtureData> Bare() =>
        _devices.Select(device => Fixture(new DeviceUnderTest(device.Name, device.Options, null)));

    /// <summary>Opens it; skips a test whose device is not available here.</summary>
    public IDevice Open(params string[] paths)
    {
        try
        {
            IDevice device = Opening is null
                ? DeviceFactory.Open(paths, Options.Validated(), NullLogger.Instance)
                : new RandomAccessDevice(DeviceFiles.Open(paths, NullLogger.Instance, Opening), Options.Validated(), NullLogger.Instance);
            return Rates is null ? device : new FaultDevice(device) { Plan = FaultPlan.Random(seed: 5, Rates) };
        }
        catch (DeviceException e) when (Options.Kind == DeviceKind.Uring)
        {
            Assert.Ignore($"io_uring is not available here: {e.Message}");
            throw;
        }
    }

    public override string ToString() => Name;

    private static TestFixtureData Fixture(DeviceUnderTest device, bool isHeavy = false)
    {
        TestFixtureData fixture = new TestFixtureData(device).SetArgDisplayNames(device.Name);
        if (isHeavy)
            fixture.Properties.Add(PropertyNames.Category, "Heavy");
        return fixture;
    }
}
