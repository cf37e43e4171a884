using NUnit.Framework;
using VectorPipe.Tool.Collections.Columns;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary>Reads of a damaged file end.</summary>
public sealed class BoundedStreamTests
{
    private TempFolder _folder = null!;
    private BoundedStream _stream = null!;

    [SetUp]
    public void Open()
    {
        _folder = new TempFolder();
        File.WriteAllBytes(_folder["file"], [1, 2, 3, 4]);
        _stream = new BoundedStream(File.OpenRead(_folder["file"]));
    }

    [TearDown]
    public void Close()
    {
        _stream.Dispose();
        _folder.Dispose();
    }

    [Test]
    public void A_read_at_the_end_fails()
    {
        Assert.That(new BinaryReader(_stream).ReadBytes(3), Is.EqualTo(new byte[] { 1, 2, 3 }));
        Assert.That(_stream.ReadByte(), Is.EqualTo(4));
        Assert.That(_stream.ReadByte, Throws.TypeOf<EndOfStreamException>());
        Assert.That(() => _stream.Read(new byte[1]), Throws.TypeOf<EndOfStreamException>());
        Assert.That(_stream.Read([]), Is.Zero);
    }

    [Test]
    public async Task Reads_in_circles_fail()
    {
        await _stream.ReadExactlyAsync(new byte[3]);
        _stream.Seek(0, SeekOrigin.Begin);
        Assert.That(async () => await _stream.ReadExactlyAsync(new byte[3]), Throws.TypeOf<InvalidDataException>());
        _stream.Restart();
        _stream.Seek(0, SeekOrigin.Begin);
        await _stream.ReadExactlyAsync(new byte[4]);
    }
}
