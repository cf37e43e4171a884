using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>The device that would be opened is known without a file.</summary>
[Platform("Linux")]
internal sealed class DeviceChoiceTests
{
    private SimulatedRing _ring = null!;

    [SetUp]
    public void Open() => _ring = new SimulatedRing(DeviceOptions.Default);

    [TearDown]
    public void Close() => _ring.Dispose();

    [Test]
    public void A_kernel_that_lets_rings_be_set_up_and_entered_is_chosen()
    {
        Assert.That(DeviceFactory.Choose(DeviceOptions.Default, _ring.Kernel), Is.EqualTo(new DeviceChoice("uring", null)));
        Assert.That(_ring.Kernel.Opcodes, Is.Empty, "nothing is read");
    }

    [Test]
    public void A_kernel_that_refuses_the_set_up_is_the_reason_for_the_fallback()
    {
        _ring.Kernel.OnSetup = static _ => Errno.EPERM;
        DeviceChoice choice = DeviceFactory.Choose(DeviceOptions.Default, _ring.Kernel);
        Assert.That(choice.Name, Is.EqualTo("portable"));
        Assert.That(choice.FallbackReason, Does.Contain("io_uring_setup was forbidden").And.Contains("seccomp"));
    }

    [Test]
    public void A_sandbox_that_refuses_to_enter_the_ring_is_the_reason_for_the_fallback()
    {
        _ring.Kernel.OnEnter = static _ => -Errno.ENOSYS;
        DeviceChoice choice = DeviceFactory.Choose(DeviceOptions.Default, _ring.Kernel);
        Assert.That(choice.Name, Is.EqualTo("portable"));
        Assert.That(choice.FallbackReason, Does.Contain("io_uring_enter"));
    }
}
