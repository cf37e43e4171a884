using System.Runtime.CompilerServices;
using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Devices.Uring;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>The structures that the kernel shares, byte by byte.</summary>
public sealed unsafe class IoUringAbiTests
{
    [Test]
    public void Structures_have_the_sizes_of_the_kernel()
    {
        Assert.That(Unsafe.SizeOf<IoUringSqe>(), Is.EqualTo(64));
        Assert.That(Unsafe.SizeOf<IoUringCqe>(), Is.EqualTo(16));
        Assert.That(Unsafe.SizeOf<IoUringParams>(), Is.EqualTo(120));
        Assert.That(Unsafe.SizeOf<IoUringSqOffsets>(), Is.EqualTo(40));
        Assert.That(Unsafe.SizeOf<IoUringCqOffsets>(), Is.EqualTo(40));
        Assert.That(Unsafe.SizeOf<LinuxStatx>(), Is.EqualTo(256));
    }

    [Test]
    public void A_submission_entry_has_its_fields_in_place()
    {
        IoUringSqe sqe = default;
        byte* start = (byte*)&sqe;
        Assert.That((long)((byte*)&sqe.Fd - start), Is.EqualTo(4));
        Assert.That((long)((byte*)&sqe.Offset - start), Is.EqualTo(8));
        Assert.That((long)((byte*)&sqe.Address - start), Is.EqualTo(16));
        Assert.That((long)((byte*)&sqe.Length - start), Is.EqualTo(24));
        Assert.That((long)((byte*)&sqe.OperationFlags - start), Is.EqualTo(28));
        Assert.That((long)((byte*)&sqe.UserData - start), Is.EqualTo(32));
        Assert.That((long)((byte*)&sqe.BufferIndex - start), Is.EqualTo(40));
    }

    [Test]
    public void The_parameters_have_their_fields_in_place()
    {
        IoUringParams setup = default;
        byte* start = (byte*)&setup;
        Assert.That((long)((byte*)&setup.Features - start), Is.EqualTo(20));
        Assert.That((long)((byte*)&setup.SqOffsets - start), Is.EqualTo(40));
        Assert.That((long)((byte*)&setup.CqOffsets - start), Is.EqualTo(80));
    }

    [Test]
    public void The_wait_argument_points_to_the_bytes_after_itself()
    {
        IoUringWait wait = default;
        byte* start = (byte*)&wait;
        Assert.That((long)((byte*)&wait.Seconds - start), Is.EqualTo(IoUringWait.ArgumentSize));
        Assert.That((long)((byte*)&wait.TimeAddress - start), Is.EqualTo(16));
    }
}
