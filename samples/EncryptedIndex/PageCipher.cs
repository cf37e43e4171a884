using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace EncryptedIndex;

/// <summary>Encrypts the pages of a file by AES-XTS (IEEE 1619), which keeps lengths and needs no place for a nonce.</summary>
/// <remarks>
/// A page is a unit of 4,096 bytes. Its tweak is its number and a hash of the file's name, so equal pages look different. XTS hides
/// content, and does not authenticate it: who can write to the disk can destroy pages, which their checksums show, or bring back old ones,
/// which nothing shows. Not thread-safe.
/// </remarks>
internal sealed class PageCipher : IDisposable
{
    public const int PageLength = 4096;
    public const int KeyLength = 64;

    private const int BlockLength = 16;

    private readonly Aes _pages = Aes.Create();
    private readonly Aes _tweaks = Aes.Create();
    private readonly byte[] _tweak = new byte[PageLength];

    /// <param name="key">64 bytes: two keys of AES-256.</param>
    public PageCipher(ReadOnlySpan<byte> key)
    {
        if (key.Length != KeyLength)
            throw new ArgumentException($"Expected a key of {KeyLength} bytes, found {key.Length}.", nameof(key));
        _pages.Key = key[..(KeyLength / 2)].ToArray();
        _tweaks.Key = key[(KeyLength / 2)..].ToArray();
    }

    /// <summary>A number of a file, from its name.</summary>
    public static ulong NumberOf(string path) =>
        BinaryPrimitives.ReadUInt64LittleEndian(SHA256.HashData(Encoding.UTF8.GetBytes(Path.GetFileName(path))));

    public void Encrypt(Span<byte> pages, long first, ulong file) => Run(pages, first, file, isEncryption: true);

    public void Decrypt(Span<byte> pages, long first, ulong file) => Run(pages, first, file, isEncryption: false);

    public void Dispose()
    {
        _pages.Dispose();
        _tweaks.Dispose();
    }

    private void Run(Span<byte> pages, long first, ulong file, bool isEncryption)
    {
        for (int at = 0; at < pages.Length; at += PageLength, first++)
        {
            Span<byte> page = pages.Slice(at, PageLength);
            FillTweaks(first, file);
            Xor(page);
            _ = isEncryption ? _pages.EncryptEcb(page, page, PaddingMode.None) : _pages.DecryptEcb(page, page, PaddingMode.None);
            Xor(page);
        }
    }

    /// <summary>The tweak of each block is that of the block before, times alpha in GF(2^128).</summary>
    private void FillTweaks(long page, ulong file)
    {
        Span<byte> start = stackalloc byte[BlockLength];
        BinaryPrimitives.WriteInt64LittleEndian(start, page);
        BinaryPrimitives.WriteUInt64LittleEndian(start[8..], file);
        _tweaks.EncryptEcb(start, start, PaddingMode.None);
        Span<UInt128> tweaks = MemoryMarshal.Cast<byte, UInt128>(_tweak.AsSpan());
        UInt128 tweak = BinaryPrimitives.ReadUInt128LittleEndian(start);
        for (int i = 0; i < tweaks.Length; i++)
        {
            tweaks[i] = tweak;
            tweak = (tweak << 1) ^ (tweak >> 127 == 0 ? UInt128.Zero : 0x87);
        }
    }

    private void Xor(Span<byte> page)
    {
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(page), tweaks = MemoryMarshal.Cast<byte, ulong>(_tweak.AsSpan());
        for (int i = 0; i < words.Length; i++)
            words[i] ^= tweaks[i];
    }
}
